"""Run `keras-bert query_server`; see keras_bert/cli."""

from keras_bert.cli import console

if __name__ == "__main__":
    console.run("query_server")

"""Run `keras-bert query_saved_model`; see keras_bert/cli."""

from keras_bert.cli import console

if __name__ == "__main__":
    console.run("query_saved_model")

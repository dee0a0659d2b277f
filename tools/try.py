"""Run `keras-bert try`; see keras_bert/cli."""

from keras_bert.cli import console

if __name__ == "__main__":
    console.run("try")

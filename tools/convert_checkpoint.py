"""Run `keras-bert convert_checkpoint`; see keras_bert/cli."""

from keras_bert.cli import console

if __name__ == "__main__":
    console.run("convert_checkpoint")

"""Run `keras-bert fill_mask`; see keras_bert/cli."""

from keras_bert.cli import console

if __name__ == "__main__":
    console.run("fill_mask")

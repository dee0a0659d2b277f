"""Run `keras-bert plot_training`; see keras_bert/cli."""

from keras_bert.cli import console

if __name__ == "__main__":
    console.run("plot_training")

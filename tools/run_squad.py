"""Run `keras-bert run_squad`; see keras_bert/cli."""

from keras_bert.cli import console

if __name__ == "__main__":
    console.run("run_squad")

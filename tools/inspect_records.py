"""Run `keras-bert inspect_records`; see keras_bert/cli."""

from keras_bert.cli import console

if __name__ == "__main__":
    console.run("inspect_records")

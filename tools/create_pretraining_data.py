"""Run `keras-bert create_pretraining_data`; see keras_bert/cli."""

from keras_bert.cli import console

if __name__ == "__main__":
    console.run("create_pretraining_data")

"""One file per task: from texts to what a user wants to know."""

from keras_bert import lazy

_MEMBERS = {
    "Ensemble": "ensemble",
    "FillMask": "fill_mask",
    "MultipleChoice": "multiple_choice",
    "QuestionAnswerer": "question_answerer",
    "TextClassifier": "text_classifier",
    "TextEmbedder": "text_embedder",
    "FeatureExtractor": "feature_extractor",
    "FeatureTextClassifier": "feature_classifiers",
    "FeatureTokenClassifier": "feature_classifiers",
    "TextGenerator": "text_generator",
    "TextRegressor": "text_regressor",
    "TokenClassifier": "token_classifier",
    "entity_scores": "tags.entity_scores",
    "load_any_task": "loading",
    "load_task": "loading",
    "squad_scores": "answers.squad_scores",
    "text_model": "keras_model",
}

__all__ = [*_MEMBERS]
__getattr__, __dir__ = lazy.attach(__name__, members=_MEMBERS)

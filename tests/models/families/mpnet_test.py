from keras_bert.text import BertTokenizer


def test_special_tokens_of_its_vocabulary_are_found(make_settings_of):
    tokenizer = BertTokenizer(make_settings_of("mpnet").vocabulary)
    assert tokenizer.vocabulary.id_of("<mask>") == 40
    text = "word1<mask> WORD2 </s><s>word3 \u0705"
    plain = tokenizer([text]).to_list()[0]
    assert not {0, 2, 40} & {*plain}
    finding = tokenizer.with_special_tokens()
    ids, starts, ends = (
        x.to_list()[0] for x in finding.tokenize_with_offsets([text])
    )
    assert finding([text]).to_list() == [ids]
    data = text.encode()
    spans = [data[start:end].decode() for start, end in zip(starts, ends)]
    assert spans == [
        *("word1", "<mask>", "WORD2", "</s>", "<s>", "word3", "\u0705"),
    ]
    assert [finding.vocabulary.tokens[x] for x in ids] == [
        *("word1", "<mask>", "word2", "</s>", "<s>", "word3", "[UNK]"),
    ]

# nanoGPT's character-level Shakespeare model: 10.6 million parameters, hours on a CPU.
#
#     make shakespeare
#     ./gradus train data/tinyshakespeare.txt --config train/configs/shakespeare_char.py

# The model: a context of 256 characters, six blocks of six heads of 64 channels.
block_size = 256
n_layer = 6
n_head = 6
n_embd = 384
dropout = 0.2

# The schedule: 5000 updates of 64 sequences, the rate falling to a tenth.
batch_size = 64
gradient_accumulation_steps = 1
max_iters = 5000
learning_rate = 1e-3
min_lr = 1e-4
lr_decay_iters = 5000
warmup_iters = 100
beta2 = 0.99  # a longer memory than usual, for there are few tokens in a batch

# The reports: losses over 200 random batches of each split.
eval_interval = 250
eval_iters = 200
log_interval = 10

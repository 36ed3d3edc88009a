# Tiny shakespeare as well as one minute on two CPU cores of 235 GFLOP/s together allows, chosen by
# --minutes. What was tried: tests/recipes/README.md.
#
#     make shakespeare
#     ./gradus train data/tinyshakespeare.txt --config train/configs/shakespeare_char_1_minute.py

# The model: 0.4 million parameters.
arch = 'qwen3'
block_size = 128
n_layer = 4
n_head = 4
n_embd = 96
dropout = 0.0
init_std = 0.04
dtype = 'float32'

# The optimizer.
optimizer = 'muon'
momentum = 0.9
beta1 = 0.9
beta2 = 0.99
weight_decay = 0.1
grad_clip = 1.0

# The schedule: 2.1 million tokens.
batches = 'shuffled'
batch_size = 4
gradient_accumulation_steps = 1
max_iters = 4073
learning_rate = 6e-3
lr_schedule = 'linear'
min_lr = 0
warmup_iters = 100
lr_decay_iters = 4073

# The reports: the whole validation text.
eval_interval = 1019
eval_iters = 0

# nanoGPT's character-level Shakespeare model cut down to what a laptop trains in a minute, with the
# settings that nanoGPT's own page gives for a CPU. The seed being the same, so is the log:
#
#     step 0: train loss 4.1676, val loss 4.1649
#     iter 0: loss 4.1828
#
#     make shakespeare
#     ./gradus train data/tinyshakespeare.txt --config train/configs/shakespeare_char_cpu.py

# The model: 0.8 million parameters.
block_size = 64
n_layer = 4
n_head = 4
n_embd = 128
dropout = 0.0

# The schedule.
batch_size = 12
gradient_accumulation_steps = 1
max_iters = 2000
learning_rate = 1e-3
min_lr = 1e-4
lr_decay_iters = 2000
warmup_iters = 100
beta2 = 0.99

# The reports: losses over 20 random batches of each split. The batches are drawn from the same
# generator as those trained on, so this number is part of what makes the log the same.
eval_interval = 250
eval_iters = 20
log_interval = 1

# Sourced: `metrics`, the names that a kernel's golden counters have, joined by commas.
t=l1tex__t_ d=l1tex__data_ lsu=pipe_lsu a=smsp__sass_average_data_bytes_per_sector_mem_global_op_
metrics=
for op in ld st; do
  metrics+=${t}requests_${lsu}_mem_global_op_$op.sum,${t}sectors_${lsu}_mem_global_op_$op.sum,
  metrics+=${d}bank_conflicts_${lsu}_mem_shared_op_$op.sum,
  metrics+=${d}${lsu}_wavefronts_mem_shared_op_$op.sum,$a$op.pct,
done
for op in atom red; do
  metrics+=${t}requests_${lsu}_mem_global_op_$op.sum,${t}sectors_${lsu}_mem_global_op_$op.sum,
done
metrics+=${d}bank_conflicts_${lsu}_mem_shared_op_atom.sum

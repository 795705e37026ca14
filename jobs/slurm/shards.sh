#!/bin/sh
# Array task I runs shard I of 16, and array task 0 merges the reports of all shards:
#   id=$(sbatch --parsable FILE) && sbatch --dependency="afterany:$id" --array=0 FILE
# `sbatch --array=3,7 FILE` runs the shards 3 and 7 again.
#SBATCH --job-name=shards
#SBATCH --array=1-16
#SBATCH --cpus-per-task=1
#SBATCH --mem=512M
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --signal=B:USR1@60

cd ./jobs || exit 4
if [ "$SLURM_ARRAY_TASK_ID" -eq 0 ]; then
    exec runner report merge --shards 16 ./out/shards-report.json --output ./out/shards-report.json
fi

# USR1 comes before the time limit: the runner stops, and the next run of the shard resumes.
again=
trap 'again=yes; kill -TERM "$runner"' USR1
trap 'kill -TERM "$runner"' TERM
runner run ./shards.yaml --state-dir ./state --shard "$SLURM_ARRAY_TASK_ID/16" &
runner=$!
wait "$runner"
code=$?
# A signal ends `wait` before it ends the runner.
while kill -0 "$runner" 2>/dev/null; do
    wait "$runner"
    code=$?
done

# A later run may succeed after 5 (network, server), 7 (deferred) and 10 (a lost node still holds the lock).
case $code in 5 | 7 | 10) again=yes ;; esac
if [ "$again" ] && [ "$code" -ne 0 ] && [ "${SLURM_RESTART_COUNT:-0}" -lt 10 ]; then
    scontrol requeue "$SLURM_JOB_ID"
fi
exit "$code"

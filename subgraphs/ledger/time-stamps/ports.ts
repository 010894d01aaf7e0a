import type { WorkRow } from '../../../shared/jobs/work-queue.js';
import type { StampFields } from '../../../shared/timestamp/stamp-row.js';

/** The time-stamp of a checkpoint's note, or the pending work; `_id` is the checkpoint_id. */
export interface CheckpointStampRow extends WorkRow, StampFields {
  readonly incarnation: number;
  readonly tree_size: number;
  readonly requested_at: Date;
}

/** What names the checkpoint to stamp. */
type StampedCheckpoint = Pick<CheckpointStampRow, 'incarnation' | 'tree_size'> & {
  readonly checkpoint_id: string;
};

export interface CheckpointStamps {
  /** Makes a time-stamp due at once; an existing one stays unchanged. */
  ask(tenantId: string, checkpoint: StampedCheckpoint, at: Date): Promise<void>;
  get(tenantId: string, checkpointId: string): Promise<CheckpointStampRow | null>;
  /** Returns the one that was asked for last, in whatever state. */
  newest(tenantId: string): Promise<CheckpointStampRow | null>;
  /** Returns the stamp over the largest tree of an incarnation. */
  largest(tenantId: string, incarnation: number): Promise<CheckpointStampRow | null>;
}

import { originOf } from '../../../shared/evidence/chain.js';

/** First line of a checkpoint, and the name of the key that signs it (evidence.md section 3 "Checkpoints"). */
export const checkpointOrigin = (deployment: string, logId: string, incarnation: number): string =>
  `${originOf(deployment, logId)}/inc-${incarnation}`;

/** Why publishing is refused. */
export const REGRESS_REASONS = [
  'TREE_SMALLER',
  'TREE_CHANGED',
  'TREE_DAMAGED',
  'LAST_NOTE_INVALID',
  'FILE_NOTE_INVALID',
] as const;
export type RegressReason = (typeof REGRESS_REASONS)[number];

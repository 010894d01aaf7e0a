import { groupCells } from '../../../../shared/records/group-cells.js';

const DIMENSIONS = ['kind', 'status', 'severity', 'source', 'month'] as const;
export type ExceptionDimension = (typeof DIMENSIONS)[number];

interface Sums {
  readonly count: number;
  readonly resolved: number;
  /** Sum of the times from opening to resolution, in ms. */
  readonly resolution_ms: number;
}

const DAY_MS = 86_400_000;
const DECIMALS = 1e4;

const added = (a: Sums, b: Sums): Sums => ({
  count: a.count + b.count,
  resolved: a.resolved + b.resolved,
  resolution_ms: a.resolution_ms + b.resolution_ms,
});

/** Groups exceptions by some of their members, the largest group first. */
export const groupExceptions = (
  cells: readonly ({ readonly [D in ExceptionDimension]: string } & Sums)[],
  by: readonly ExceptionDimension[],
) =>
  groupCells<ExceptionDimension, Sums>(cells, { names: DIMENSIONS, by, add: added }).map(
    ({ resolution_ms, ...group }) => ({
      ...group,
      days_to_resolution:
        group.resolved === 0 ? null : Math.round((resolution_ms / group.resolved / DAY_MS) * DECIMALS) / DECIMALS,
    }),
  );

import { groupCells } from '../../../../../shared/records/group-cells.js';

const DIMENSIONS = ['type', 'status', 'trigger', 'day'] as const;
export type DeliveryDimension = (typeof DIMENSIONS)[number];

interface Sums {
  readonly count: number;
  readonly delivered: number;
  readonly failed: number;
  readonly attempts: number;
}

/** Deliveries that are equal in every member that groups them. */
export type DeliveryCell = { readonly [D in DeliveryDimension]: string } & Sums;

const DECIMALS = 1e4;
const rounded = (value: number): number => Math.round(value * DECIMALS) / DECIMALS;

const added = (a: Sums, b: Sums): Sums => ({
  count: a.count + b.count,
  delivered: a.delivered + b.delivered,
  failed: a.failed + b.failed,
  attempts: a.attempts + b.attempts,
});

/** Groups deliveries by some of their members, the largest group first. */
export const groupDeliveries = (cells: readonly DeliveryCell[], by: readonly DeliveryDimension[]) =>
  groupCells<DeliveryDimension, Sums>(cells, { names: DIMENSIONS, by, add: added }).map(({ attempts, ...group }) => {
    const settled = group.delivered + group.failed;
    return {
      ...group,
      attempts_mean: rounded(attempts / group.count),
      delivered_rate: settled === 0 ? null : rounded(group.delivered / settled),
    };
  });

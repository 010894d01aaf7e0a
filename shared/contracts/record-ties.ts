import { z } from 'zod';
import type { SubgraphName } from '../graph/subgraph-names.js';
import type { TenantId } from '../ids/tenant.js';
import { defineCall, list, TEXTS } from './call.js';

const TIED_KINDS = ['bundle', 'matter', 'hold', 'rule'] as const;
export type TiedKind = (typeof TIED_KINDS)[number];

/** The parts of a record that the graph stores: its names and its state. */
const RecordTies = z.object({
  kind: z.enum(TIED_KINDS),
  id: z.string(),
  /** When it was created, RFC 3339. */
  at: z.string(),
  /** Its type, from a closed set; no text that a person wrote. */
  label: z.string().nullable(),
  status: z.string().nullable(),
  /** `kind:id` as in node ids (api.md section 6): `member:…`, `matter:…`, `event:…`. */
  names: list(z.string()),
});
export type RecordTies = z.infer<typeof RecordTies>;

/** Records that name others, in any subgraph. */
export interface TiedRecords {
  /** The current state of the existing ones of these records. At most 500 ids a call. */
  of(tenantId: TenantId, kind: TiedKind, ids: readonly string[]): Promise<readonly RecordTies[]>;
}

const tiesCall = (subgraph: SubgraphName, name: string) =>
  defineCall({ subgraph, kind: 'query', name, input: { ids: TEXTS }, output: list(RecordTies) });

/** By kind, the call that reads its records. */
export const TIES_CALLS = {
  bundle: tiesCall('bundles', 'bundleTies'),
  matter: tiesCall('bundles', 'matterTies'),
  hold: tiesCall('vault', 'holdTies'),
  rule: tiesCall('advocacy', 'ruleTies'),
} as const satisfies Readonly<Record<TiedKind, unknown>>;

import type { TenantId } from '../ids/tenant.js';

export const TIED_KINDS = ['bundle', 'matter', 'hold', 'rule'] as const;
export type TiedKind = (typeof TIED_KINDS)[number];

/** A record by what it names: all that a graph takes of it. */
export interface RecordTies {
  readonly kind: TiedKind;
  readonly id: string;
  /** When it was made, RFC 3339. */
  readonly at: string;
  /** What it is, in one word of a closed set; nothing that a person wrote. */
  readonly label: string | null;
  readonly status: string | null;
  /** `kind:id`, as node ids are written (api.md section 6): `member:…`, `matter:…`, `event:…`. */
  readonly names: readonly string[];
}

/** Records that name others, wherever they are kept. */
export interface TiedRecords {
  /** Those of these that exist, as they stand now. At most 500 ids a call. */
  of(tenantId: TenantId, kind: TiedKind, ids: readonly string[]): Promise<readonly RecordTies[]>;
}

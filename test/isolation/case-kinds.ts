import type { RecordKind, World } from './world.js';

// The kinds of cases of the matrix, and short words for them.

/** The route is about no tenant's records. */
interface OpenCase {
  readonly kind: 'open';
  readonly why: string;
}

/** The route names a record in its path: A's must be to B what never was. */
interface RecordCase {
  readonly kind: 'record';
  /** The path parameter that names the record. */
  readonly param: string;
  readonly record: RecordKind;
  /** A well-formed identifier without a record. */
  readonly missing: string;
  /** The other parameters of the path, B's own. */
  readonly own?: (b: World) => Readonly<Record<string, string>>;
  /** Those of `own` that go as query parameters. */
  readonly query?: readonly string[];
  /** Query that names the record, where the path does not. */
  readonly asks?: (id: string) => string;
  readonly body?: unknown;
  /** The expected status, 404 by default: the same for a record of A and for none. */
  readonly status?: number;
  /** Where A reads the record, to see that it was left alone; null: there is nothing to see. */
  readonly readAt: string | null;
}

/** The route shows many: none of them A's. */
interface ListCase {
  readonly kind: 'list';
  readonly params?: (w: World) => Readonly<Record<string, string>>;
  /** Ids that A's own list holds, so that the case is not an empty one. */
  readonly holds: RecordKind;
  /** Query by names that both tenants use. */
  readonly query?: string;
}

/** The body refers to a record: A's must be refused as one that never was. */
interface ReferenceCase {
  readonly kind: 'reference';
  readonly member: string;
  readonly record: RecordKind;
  readonly missing: string;
  readonly params?: (b: World) => Readonly<Record<string, string>>;
  readonly body: (reference: string) => unknown;
}

/** The route works on what the caller has, whatever it is asked: A's data is in no answer, and stays as it is. */
interface OwnCase {
  readonly kind: 'own';
  readonly params?: (a: World) => Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly mediaType?: string;
  /** Where A reads what B must not have touched. */
  readonly readAt?: (a: World) => string;
}

export type Case = OpenCase | RecordCase | ListCase | ReferenceCase | OwnCase;

const ULID = '01JQ0000000000000000000001';
export const MISSING: Readonly<Record<RecordKind, string>> = {
  tenant: 'never-made',
  event: `evt_${ULID}`,
  rawEvent: `evt_${ULID}`,
  custody: `cus_${ULID}`,
  exception: `exc_${ULID}`,
  checkpoint: `chk_${ULID}`,
  ingest: `ing_${ULID}`,
  actor: `act_${ULID}`,
  role: `rol_${ULID}`,
  key: `key_${ULID}`,
  session: `ses_${ULID}`,
  savedView: `svw_${ULID}`,
  signingKey: 'A'.repeat(43),
  flag: 'only-never-made',
  lead: `led_${ULID}`,
  person: 'P-never-made',
  feed: `fed_${ULID}`,
  connector: `con_${ULID}`,
  decision: `aid_${ULID}`,
  webhook: `whk_${ULID}`,
  delivery: `dlv_${ULID}`,
  matter: `mat_${ULID}`,
  hold: `hld_${ULID}`,
  holdNotice: `hnt_${ULID}`,
  bundle: `bdl_${ULID}`,
  bundleLink: `bln_${ULID}`,
  document: `doc_${ULID}`,
  quarantined: `doc_${ULID}`,
  redaction: `rdx_${ULID}`,
  consent: `cns_${ULID}`,
  appointment: `apt_${ULID}`,
  carer: `ctm_${ULID}`,
  dataRight: `drt_${ULID}`,
  amendment: `drt_${ULID}`,
  deniedAmendment: `drt_${ULID}`,
  challenge: `chl_${ULID}`,
  avaRequest: `avr_${ULID}`,
  rule: `rul_${ULID}`,
};

export const open = (why: string): readonly Case[] => [{ kind: 'open', why }];
export const record = (kind: RecordKind, readAt: string | null, over: Partial<RecordCase> = {}): RecordCase => ({
  kind: 'record',
  param: 'id',
  record: kind,
  missing: MISSING[kind],
  readAt,
  ...over,
});
export const list = (holds: RecordKind, over: Partial<ListCase> = {}): ListCase => ({ kind: 'list', holds, ...over });
export const reference = (
  member: string,
  kind: RecordKind,
  body: (reference: string) => unknown,
  params?: (b: World) => Readonly<Record<string, string>>,
): ReferenceCase => ({
  kind: 'reference',
  member,
  record: kind,
  missing: MISSING[kind],
  body,
  ...(params ? { params } : {}),
});
export const own = (id: RecordKind) => (b: World) => ({ id: b.ids[id] });

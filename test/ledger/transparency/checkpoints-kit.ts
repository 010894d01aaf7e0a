import type { PublicSigningKey, SigningKeys, SigningPurpose } from '../../../shared/contracts/signing-keys.js';
import { ed25519Jwk, ed25519Sign } from '../../../shared/crypto/ed25519.js';
import { sha256, sha256Hex } from '../../../shared/crypto/hash.js';
import type { Database } from '../../../shared/db/database.js';
import { systemRandomness, ulidIds } from '../../../shared/ids/ids.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { CompactRange } from '../../../shared/merkle/compact-range.js';
import { leafHash } from '../../../shared/merkle/hashes.js';
import type { SignedTree } from '../../../shared/signing/signer.js';
import { openMongoWormStore } from '../../../shared/worm/open-worm-store.js';
import type { WormStore } from '../../../shared/worm/worm-store.js';
import { mongoLedgerStore } from '../../../subgraphs/ledger/append/model/ledger-store.js';
import type { ExceptionDraft } from '../../../subgraphs/ledger/exceptions/ports.js';
import { prepareLedgerCollections } from '../../../subgraphs/ledger/prepare.js';
import { CHECKPOINT_COLLECTION } from '../../../subgraphs/ledger/transparency/model/collections.js';
import { mongoTreeStore } from '../../../subgraphs/ledger/transparency/model/tree-store.js';
import type { CheckpointFiles, Witnesses } from '../../../subgraphs/ledger/transparency/ports/checkpoint-sinks.js';
import type { TenantTree, TreeStore } from '../../../subgraphs/ledger/transparency/ports/tree-store.js';
import { TreeKeeper } from '../../../subgraphs/ledger/transparency/tree-keeper.js';
import { TileCache } from '../../../subgraphs/ledger/transparency/tree-tiles.js';
import { ManualClock, RecordingDesk, recordingLogger } from '../../support/fakes.js';

/** Signing keys in memory, each from its name; the one that signs can be changed. */
export class NamedSigningKeys implements SigningKeys {
  #name = 'first';
  readonly #seeds = new Map<string, Buffer>();

  rotate(name: string): void {
    this.#name = name;
  }

  async activeKey(tenantId: TenantId, purpose: SigningPurpose): Promise<PublicSigningKey> {
    const keyId = `sgk_${tenantId}_${purpose}_${this.#name}`;
    this.#seeds.set(keyId, sha256(keyId));
    return this.publicKey(keyId);
  }

  async sign(keyId: string, bytes: Uint8Array): Promise<Buffer> {
    return ed25519Sign(this.#seedOf(keyId), bytes);
  }

  async lastSigned(_origin: string): Promise<SignedTree | null> {
    return null;
  }

  async publicKey(keyId: string): Promise<PublicSigningKey> {
    const [, tenantId = '', purpose = ''] = keyId.split('_');
    return {
      key_id: keyId,
      tenant_id: tenantId as TenantId,
      purpose: purpose as SigningPurpose,
      algorithm: 'Ed25519',
      public_key: ed25519Jwk(this.#seedOf(keyId)),
      status: 'ACTIVE',
      from: null,
      until: null,
      revocation: null,
      history: [],
    };
  }

  #seedOf(keyId: string): Buffer {
    const seed = this.#seeds.get(keyId);
    if (!seed) throw new Error('no such key');
    return seed;
  }
}

export interface TreeKitSettings {
  readonly clock?: ManualClock;
  readonly keys?: NamedSigningKeys;
  readonly files?: CheckpointFiles;
  readonly witnesses?: Witnesses;
  /** Wraps the keeper's access to the database. */
  readonly through?: (tree: TenantTree) => TenantTree;
}

/** What keeps trees, as one process has it, over chains that hold hashes and nothing else. */
export interface TreeKit {
  readonly clock: ManualClock;
  readonly keys: NamedSigningKeys;
  readonly keeper: TreeKeeper;
  readonly cache: TileCache;
  readonly trees: TreeStore;
  readonly worm: WormStore;
  readonly opened: (ExceptionDraft & { readonly tenantId: string })[];
  /** Where the keeper withdraws exceptions that no longer apply. */
  readonly desk: RecordingDesk;
  readonly lines: readonly string[];
  /** Appends entries to a chain, as far as the tree looks at them. */
  append(tenantId: string, sourceSystem: string, count: number): Promise<void>;
  close(): Promise<void>;
}

export const logIdFor = (tenantId: string): string => `log_${tenantId}`;
const APPEND_AT_ONCE = 5_000;

export async function openTrees(database: Database, settings: TreeKitSettings = {}): Promise<TreeKit> {
  await prepareLedgerCollections(database);
  const { clock = new ManualClock(), keys = new NamedSigningKeys(), through = (tree: TenantTree) => tree } = settings;
  const { logger, lines } = recordingLogger();
  const ids = ulidIds(() => clock.nowMs(), systemRandomness());
  const limits = { segmentRecords: 100_000, segmentBytes: 16 * 1024 * 1024 };
  const worm = await openMongoWormStore({ database, limits, clock, ids, logger });
  const store = mongoLedgerStore(database.db);
  const stored = mongoTreeStore(database.db);
  const trees: TreeStore = (tenantId) => through(stored(tenantId));
  const opened: (ExceptionDraft & { readonly tenantId: string })[] = [];
  const cache = new TileCache();
  const desk = new RecordingDesk();
  const tenantOf = (tenantId: string) => ({ tenantId: tenantId as TenantId, logId: logIdFor(tenantId) });
  const keeper = new TreeKeeper({
    clock,
    ids,
    logger,
    deployment: 'eas.example',
    signingKeys: keys,
    files: settings.files ?? null,
    witnesses: settings.witnesses ?? null,
    outbox: { relay: async () => undefined },
    collection: CHECKPOINT_COLLECTION,
    tenants: {
      find: async (tenantId) => ({
        tenant_id: tenantId as TenantId,
        log_id: logIdFor(tenantId),
        status: 'ACTIVE',
      }),
    },
    contexts: {
      of: async (tenantId) => ({ ledger: store.forTenant(tenantId), worm: worm.forTenant(tenantOf(tenantId)) }),
    },
    trees,
    cache,
    openExceptions: async (tenantId, drafts) => {
      opened.push(...drafts.map((draft) => ({ ...draft, tenantId })));
      return [];
    },
    exceptions: desk,
    owner: `kit-${ids.next('request')}`,
  });
  return {
    clock,
    keys,
    keeper,
    cache,
    trees: stored,
    worm,
    opened,
    desk,
    lines,
    append: (tenantId, sourceSystem, count) => appendHashes(database, tenantId, sourceSystem, count),
    close: () => worm.close(),
  };
}

async function appendHashes(database: Database, tenant_id: string, source_system: string, count: number) {
  // Rows that hold what the tree reads; what an append writes is others' affair.
  const rows = database.db.collection('ledger');
  const head = await mongoLedgerStore(database.db).forTenant(tenant_id).head(source_system);
  const next = (head?._id.seq ?? 0) + 1;
  for (let from = next; from < next + count; from += APPEND_AT_ONCE) {
    const to = Math.min(next + count, from + APPEND_AT_ONCE);
    const batch = Array.from({ length: to - from }, (_, i) => ({
      _id: { tenant_id, source_system, seq: from + i },
      tenant_id,
      source_system,
      event_id: `evt_${source_system}_${from + i}`,
      entry_hash: sha256Hex(`${tenant_id} ${source_system} ${from + i}`),
    }));
    await rows.insertMany(batch as never[]);
  }
}

/** Root of the first `size` leaves as the rows stand, by nothing but appending. */
export async function rootOfRows(tree: TenantTree, size: number): Promise<string> {
  const range = new CompactRange();
  while (range.size < size) {
    const rows = await tree.rows(range.size, Math.min(5_000, size - range.size));
    if (rows.length === 0) throw new Error('the tree is smaller');
    for (const row of rows) range.append(leafHash(Buffer.from(row.entry_hash, 'hex')));
  }
  return range.root().toString('hex');
}

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Principal } from '../../../shared/auth/context.js';
import { effectiveScopes, type GrantedScope } from '../../../shared/auth/scopes.js';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import type { Database } from '../../../shared/db/database.js';
import { systemRandomness, ulidIds } from '../../../shared/ids/ids.js';
import { LINK_SECRET_BYTES } from '../../../shared/ids/link-token.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { RecordSteps, serviceTaker } from '../../../shared/records/steps.js';
import { linkToken } from '../../../subgraphs/bundles/links/domain/index.js';
import { type LinkStore, linkRecords } from '../../../subgraphs/bundles/links/index.js';
import { LINK } from '../../../subgraphs/bundles/links/link-kind.js';
import { countDownload, type OpenDeps, openSharedBundle } from '../../../subgraphs/bundles/links/open-link.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { ManualClock } from '../../support/fakes.js';
import { MemoryFacts, memoryGuard } from '../../support/memory-facts.js';

const TENANT = 'opener' as TenantId;
const BUNDLE = 'bdl_01JQ0000000000000000000001';
const SEAL = { worm_blob_sha256: 'a'.repeat(64), size: 40, sealed_at: '2026-03-02T14:11:10.004Z' };
const HOUR_MS = 3_600_000;

const principal = (scopes: readonly GrantedScope[], tenantId: TenantId | null = TENANT): Principal => ({
  keyId: 'key_1',
  keyName: 'maker',
  actorId: null,
  tenantId,
  grantedScopes: scopes,
  scopes: effectiveScopes(scopes),
});

let server: TestServer;
let database: Database;
let clock: ManualClock;
let links: LinkStore;
beforeAll(async () => {
  server = await startTestServer();
  database = await server.connect('opener');
});
afterAll(() => server.stop());
beforeEach(() => {
  clock = new ManualClock();
  const guard = memoryGuard(new MemoryFacts(), clock);
  links = linkRecords({ db: database.db, outbox: { relay: async () => undefined }, guard });
});

const ids = ulidIds(() => Date.UTC(2026, 2, 2), systemRandomness());

/** A link of one hour, and its token. */
async function made(): Promise<string> {
  const secret = systemRandomness().fill(new Uint8Array(LINK_SECRET_BYTES));
  const taker = serviceTaker(ids, 'service:test');
  const steps = new RecordSteps(LINK, { clock, taker, rows: links.forTenant(TENANT) });
  const link = await steps.create((id, at) => ({
    bundle_id: BUNDLE,
    recipient: 'Roe',
    purpose: 'Discovery',
    max_downloads: 2,
    expires_at: new Date(at.getTime() + HOUR_MS),
    downloads: 0,
    last_download_at: null,
    token_sha256: sha256Hex(linkToken(id, secret)),
    grantor: { key_id: 'key_1', session_id: null },
  }));
  return linkToken(link.link_id, secret);
}

interface World {
  readonly rights?: Principal | null;
  readonly tenant?: 'ACTIVE' | 'SUSPENDED';
  readonly status?: string;
}

/** Neighbours of the area: a sealed bundle in which nothing was hidden, unless the world differs. */
const around = ({ rights = principal(['bundles:export']), tenant = 'ACTIVE', status = 'SEALED' }: World = {}) =>
  ({
    links,
    clock,
    ids,
    grantors: { rightsOf: async () => rights },
    tenants: { find: async () => ({ tenant_id: TENANT, log_id: 'log_1', status: tenant }) },
    bundles: () => ({
      get: async () => ({ tenant_id: TENANT, bundle_id: BUNDLE, bundle_type: 'MEMBER', status, seal: SEAL }),
    }),
    worm: {
      forTenant: () => ({
        async *readBlob() {
          yield Buffer.from(`{"bundle_id":"${BUNDLE}",`);
        },
      }),
    },
    facts: { changedSince: async () => [] },
    // The neighbours that these cases do not reach are absent.
  }) as unknown as OpenDeps;

describe('a link', () => {
  it('opens its bundle until its end, and nothing from then on', async () => {
    const token = await made();
    expect(await openSharedBundle(around(), token)).toMatchObject({ bundle_id: BUNDLE, recipient: 'Roe' });
    clock.advance(HOUR_MS - 1);
    expect(await openSharedBundle(around(), token)).not.toBeNull();
    clock.advance(1);
    expect(await openSharedBundle(around(), token)).toBeNull();
    expect(await countDownload(around(), token)).toBe(false);
  });

  it.each<readonly [string, World]>([
    ['its maker has no rights any more', { rights: null }],
    ['its maker has lost the scope of the download', { rights: principal(['bundles:read']) }],
    ['the key of its maker is now of another tenant', { rights: principal(['bundles:export'], 'other' as TenantId) }],
    ['the tenant is suspended', { tenant: 'SUSPENDED' }],
    ['the bundle is being built again', { status: 'REQUESTED' }],
  ])('opens nothing when %s', async (_when, world) => {
    const token = await made();
    expect(await openSharedBundle(around(world), token)).toBeNull();
  });

  it("opens its bundle when its maker is the platform's operator", async () => {
    const token = await made();
    expect(await openSharedBundle(around({ rights: principal(['*'], null) }), token)).not.toBeNull();
  });

  it('is used up by its last download', async () => {
    const token = await made();
    const counted = [1, 2, 3].map(() => () => countDownload(around(), token));
    const outcomes: boolean[] = [];
    for (const count of counted) outcomes.push(await count());
    expect(outcomes).toEqual([true, true, false]);
    expect(await openSharedBundle(around(), token)).toBeNull();
  });
});

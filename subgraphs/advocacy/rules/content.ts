import type { TenantDirectory } from '../../../shared/contracts/tenants.js';
import { sha256Hex } from '../../../shared/crypto/hash.js';
import { problem } from '../../../shared/errors/problem.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { fromBase64 } from '../../../shared/notes/base64.js';
import type { TenantWorm, WormBlob, WormStore } from '../../../shared/worm/worm-store.js';
import type { NamedCode } from '../codes/domain/index.js';
import type { CodeTables } from '../codes/index.js';
import { RULE_BOUNDS } from './domain/kinds.js';
import { lintCodes } from './domain/lint-rule.js';
import { canonicalRule, type ReadRule, readRule } from './domain/read-rule.js';
import type { KnownCodes, StoredRevision } from './ports.js';
import type { RuleInput } from './schema.js';

/** A revision without its number and author. */
export type RevisionContent = Omit<StoredRevision, 'revision' | 'created_at' | 'created_by' | 'work_id'>;

export interface PreparedRule {
  readonly key: string;
  readonly content: RevisionContent;
  readonly artifact: RuleArtifact;
}

/**
 * Validates a rule and prepares its next revision.
 *
 * @param codes the codes of the tables; null for the shared corpus, which also names retired codes.
 * @throws VALIDATION_ERROR with a pointer to each fault, PAYLOAD_TOO_LARGE
 */
export async function prepareRule(codes: KnownCodes | null, given: RuleInput): Promise<PreparedRule> {
  const read = readRule(given);
  if ('faults' in read) throw problem('VALIDATION_ERROR', { errors: read.faults });
  if (codes !== null) {
    const faults = lintCodes(given.codes ?? [], await codes.among(read.codes));
    if (faults.length > 0) throw problem('VALIDATION_ERROR', { errors: faults });
  }
  const artifact = artifactGiven(given, read);
  const artifactSha256 = sha256Hex(artifact.bytes);
  return {
    key: given.key,
    artifact,
    content: {
      ...read.content,
      artifact_sha256: artifactSha256,
      artifact_size: artifact.bytes.length,
      artifact_media_type: artifact.mediaType,
      content_sha256: contentSha256(read.canonical, artifactSha256, artifact.mediaType),
    },
  };
}

const contentSha256 = (canonical: string, artifactSha256: string, mediaType: string): string =>
  sha256Hex(`${sha256Hex(canonical)} ${artifactSha256} ${mediaType}`);

/** Recomputes the hash of a stored revision from its content. */
export function contentHashOf(key: string, revision: StoredRevision): string {
  const { title, kind, jurisdiction, program, effective_from, effective_to, codes, criteria, body, citation } =
    revision;
  const dated = { title, kind, jurisdiction, program, effective_from, effective_to };
  const canonical = canonicalRule(key, { ...dated, codes, criteria, body, citation });
  return contentSha256(canonical, revision.artifact_sha256, revision.artifact_media_type);
}

/** Returns the given document, else the canonical bytes of the rule. */
function artifactGiven({ artifact, artifact_media_type }: RuleInput, { canonical }: ReadRule): RuleArtifact {
  if (artifact === undefined) return { bytes: Buffer.from(canonical), mediaType: 'application/json' };
  return { bytes: artifactOf(artifact), mediaType: artifact_media_type ?? 'application/octet-stream' };
}

/** The source document of a revision. */
interface RuleArtifact {
  readonly bytes: Uint8Array;
  readonly mediaType: string;
}

/** @throws VALIDATION_ERROR for invalid base64, PAYLOAD_TOO_LARGE */
function artifactOf(base64: string): Uint8Array {
  // Three bytes take four characters, so the size is known before decoding.
  if (base64.length > Math.ceil(RULE_BOUNDS.artifactBytes / 3) * 4) throw tooLarge();
  const bytes = fromBase64(base64);
  if (bytes === undefined || bytes.length === 0) {
    throw problem('VALIDATION_ERROR', {
      errors: [
        { path: '/artifact', code: 'base64', message: 'Must be base64 (RFC 4648 section 4) of at least one byte.' },
      ],
    });
  }
  if (bytes.length > RULE_BOUNDS.artifactBytes) throw tooLarge();
  return bytes;
}

const tooLarge = () =>
  problem('PAYLOAD_TOO_LARGE', { message: `The artifact must have at most ${RULE_BOUNDS.artifactBytes} bytes.` });

export interface ArtifactDeps {
  readonly worm: WormStore;
  readonly tenants: TenantDirectory;
}

/** Opens the tenant's write-once store. */
export async function tenantWorm({ worm, tenants }: ArtifactDeps, tenantId: TenantId): Promise<TenantWorm> {
  const tenant = await tenants.find(tenantId);
  if (tenant === undefined) throw problem('NOT_FOUND');
  return worm.forTenant({ tenantId, logId: tenant.log_id });
}

/** Stores an artifact in it; durable when it resolves. */
export async function storeArtifact(
  deps: ArtifactDeps,
  tenantId: TenantId,
  { bytes }: RuleArtifact,
): Promise<WormBlob> {
  return (await tenantWorm(deps, tenantId)).putBlob(oneChunk(bytes), RULE_BOUNDS.artifactBytes);
}

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Codes of the tables that ship with the service, by system. */
type OwnCodes = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * A code is known if a table of the service or an imported one has it. A system without a table accepts every code: revenue
 * codes and CPT have none.
 */
export const knownCodesOver = (own: OwnCodes, tables: CodeTables): KnownCodes => ({
  async among(codes) {
    const imported = new Map<string, { readonly codes: ReadonlySet<string>; readonly families: ReadonlySet<string> }>();
    for (const system of new Set(codes.map((code) => code.system))) {
      if (await tables.has(system)) imported.set(system, await importedOf(tables, system, codes));
    }
    return ({ system, code, isFamily }) => {
      const ours = own.get(system);
      const theirs = imported.get(system);
      if (ours === undefined && theirs === undefined) return true;
      if (!isFamily) return ours?.has(code) === true || theirs?.codes.has(code) === true;
      return [...(ours ?? [])].some((one) => one.startsWith(code)) || theirs?.families.has(code) === true;
    };
  },
});

/** Returns which of these codes and families an imported table has. */
async function importedOf(tables: CodeTables, system: string, codes: readonly NamedCode[]) {
  const named = codes.filter((one) => one.system === system);
  const families = new Set<string>();
  for (const { code } of named.filter(({ isFamily }) => isFamily)) {
    if ((await tables.alternatives(system, code, 1)).length > 0) families.add(code);
  }
  const single = named.filter(({ isFamily }) => !isFamily).map(({ code }) => code);
  return { codes: new Set((await tables.entries(system, single)).keys()), families };
}

import { sha256Hex } from '../../../shared/crypto/hash.js';
import { problem } from '../../../shared/errors/problem.js';
import { lintCodes } from '../domain/rules/lint-rule.js';
import { type GivenRule, type ReadRule, readRule } from '../domain/rules/read-rule.js';
import type { KnownCodes } from './ports/known-codes.js';
import type { StoredRevision } from './ports/rule-store.js';
import { artifactOf, type RuleArtifact } from './rule-artifact.js';

export interface RuleInput extends GivenRule {
  /** Base64. */
  readonly artifact?: string | undefined;
  readonly artifact_media_type?: string | undefined;
}

/** A revision but for who makes it, and as which. */
export type RevisionContent = Omit<StoredRevision, 'revision' | 'created_at' | 'created_by' | 'work_id'>;

export interface PreparedRule {
  readonly key: string;
  readonly content: RevisionContent;
  readonly artifact: RuleArtifact;
}

/**
 * Everything about a rule that can be said before it is written.
 *
 * @param codes what the tables know of its codes; null for the corpus that comes with the service, which also names codes
 * that are no longer in them. @throws VALIDATION_ERROR with a pointer to each place, PAYLOAD_TOO_LARGE
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
      content_sha256: sha256Hex(`${sha256Hex(read.canonical)} ${artifactSha256} ${artifact.mediaType}`),
    },
  };
}

/** The canonical bytes of the rule, where it brings no document of its own. */
function artifactGiven({ artifact, artifact_media_type }: RuleInput, { canonical }: ReadRule): RuleArtifact {
  if (artifact === undefined) return { bytes: Buffer.from(canonical), mediaType: 'application/json' };
  return { bytes: artifactOf(artifact), mediaType: artifact_media_type ?? 'application/octet-stream' };
}

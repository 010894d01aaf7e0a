import { problem } from '../../../shared/errors/problem.js';
import { BLOCK_LEAVES } from '../../../shared/evidence/bundle/inclusion.js';
import { type SealingProof, sealingText } from '../../../shared/evidence/bundle/sealing.js';
import { type FactPlace, subjectName } from '../../../shared/facts/fact.js';
import type { Sealing } from '../bundles/index.js';
import type { Build, BuildDeps } from './build-deps.js';
import { disclosedAct, soundRecord } from './prove-acts.js';

/**
 * Commits the manifest before it is signed, and proves the fact under a later checkpoint.
 * The first proof is stored, so that a worker that takes over writes the same bytes.
 *
 * @returns proofs/sealing.json
 */
export async function provenSealing(deps: BuildDeps, build: Build, sealing: Sealing): Promise<Buffer> {
  const place = await deps.announceSeal(build, sealing);
  const { text } = await build.inputs.kept(`SEALING ${sealing.manifest_sha256}`, 0, async () => ({
    text: sealingText(await proofOf(deps, build, place)),
  }));
  return Buffer.from(text);
}

async function proofOf(deps: BuildDeps, { tenantId, bundle }: Build, place: FactPlace): Promise<SealingProof> {
  const { ledgerRecords } = deps;
  const checkpoint = await deps.checkpoints.force(tenantId);
  const { incarnation, tree_size, root_hash, note } = checkpoint;
  const record_ids = [subjectName({ kind: 'bundle', id: bundle.bundle_id })];
  const facts = await ledgerRecords.chain(tenantId, { subjects: [], system_ids: [], record_ids }, tree_size);
  const fact = facts.find(({ entry_hash }) => entry_hash === place.entry_hash);
  if (fact === undefined) throw problem('INTEGRITY_FAILURE', { internal: 'the fact of a seal is not in the tree' });
  const { tree_index, partition: source_system, seq, entry_hash } = fact;
  const [found] = await ledgerRecords.records(tenantId, [{ tree_index, source_system, seq }]);
  const record = soundRecord(fact, found);
  const block = Math.floor(tree_index / BLOCK_LEAVES);
  const wanted = { block, offsets: [tree_index % BLOCK_LEAVES], entry_hashes: [entry_hash] };
  const [proof] = await ledgerRecords.inclusion(tenantId, { incarnation, tree_size, root_hash }, [wanted]);
  if (proof === undefined) throw problem('INTEGRITY_FAILURE', { internal: 'the fact of a seal has no proof' });
  return { act: disclosedAct(record, new Set()).line, record, tree_index, proof, note };
}

import type { Api } from '../api/client';
import { hexOf, sha256, utf8 } from './bytes';
import { commitmentsOf, entryHashOf, fieldsOfRedacted, isRedactedLine } from './commitments';
import { openNote } from './note';
import { rootOf } from './tree';

export type StepName = 'record' | 'commit' | 'fields' | 'header' | 'tree' | 'checkpoint' | 'signature' | 'anchors';

export interface Step {
  readonly name: StepName;
  /** Null: nothing to compare with here. */
  readonly holds: boolean | null;
  readonly computed: string;
  /** What it must equal; null where there is nothing to compare with. */
  readonly claimed: string | null;
}

const compared = (name: StepName, computed: string, claimed: unknown): Step => ({
  name,
  computed,
  claimed: String(claimed),
  holds: computed === claimed,
});

type Member = (name: string) => unknown;

async function recordSteps(opening: Api<'EventOpening'>, header: Member): Promise<Step[]> {
  const { record, seed, line } = opening;
  if (typeof record === 'string' && typeof seed === 'string') {
    const made = await commitmentsOf(record, seed);
    return [
      { name: 'record', computed: hexOf(await sha256(utf8(record))), claimed: null, holds: null },
      compared('commit', made.commit, header('commit')),
      compared('fields', made.fields, header('fields')),
    ];
  }
  return isRedactedLine(line) ? [compared('fields', await fieldsOfRedacted(line), header('fields'))] : [];
}

/**
 * Recomputes everything between an event's bytes and the signed checkpoint, in this browser. What the service says is only
 * compared with, and nothing is passed over: a step that fails is shown as failed.
 */
export async function prove(opening: Api<'EventOpening'>, proof: Api<'EventProof'>): Promise<readonly Step[]> {
  const { header } = opening;
  const member: Member = (name) =>
    typeof header === 'object' && header !== null ? Reflect.get(header, name) : undefined;
  const { checkpoint } = proof;
  const note = await openNote(checkpoint.note, checkpoint.verifier_key);
  const entryHash = await entryHashOf(header);
  const root = await rootOf(entryHash, proof.tree_index, note.size, proof.hashes);
  return [
    ...(await recordSteps(opening, member)),
    compared('header', entryHash, proof.entry_hash),
    compared('tree', root ?? '—', note.root),
    compared('checkpoint', `${note.size} ${note.root}`, `${checkpoint.tree_size} ${checkpoint.root_hash}`),
    { name: 'signature', computed: checkpoint.verifier_key, claimed: null, holds: note.signed },
    { name: 'anchors', computed: note.others.join(', ') || '—', claimed: null, holds: null },
  ];
}

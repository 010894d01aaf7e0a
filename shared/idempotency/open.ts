import type { BaseDeps } from '../contracts/deps.js';
import { AnswerStore } from './answer-store.js';
import { ClaimStore } from './claim-store.js';
import { Idempotency, type IdempotencyDeps } from './idempotency.js';

type Deps = Pick<BaseDeps, 'database' | 'clock' | 'ids' | 'randomness' | 'masterKey' | 'logger'>;

/** Opens idempotency over the database and creates its indexes. The caller stops it. */
export async function openIdempotency(deps: Deps & Pick<IdempotencyDeps, 'count'>): Promise<Idempotency> {
  const { db } = deps.database;
  const claims = new ClaimStore(db);
  const answers = new AnswerStore({ db, masterKey: deps.masterKey, randomness: deps.randomness });
  await claims.prepare();
  await answers.prepare();
  return new Idempotency({ ...deps, claims, answers });
}

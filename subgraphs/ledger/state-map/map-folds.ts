import { delay } from '../../../shared/clock/timers.js';
import type { TenantContexts } from '../append/index.js';
import { type MapFinding, type VerifyMapDeps, verifyMap } from './verify-map.js';

/** A caller asks again after this time in ms, so that no request outlasts its limit. */
const WAIT_MS = 5_000;
/** Folds in memory; a caller that never asks again leaves one behind. */
const MAX_FOLDS = 100;

/** Folds that run in this process while callers of verification ask for them in parts. */
export class MapFolds {
  readonly #deps: VerifyMapDeps & { readonly contexts: Pick<TenantContexts, 'of'> };
  readonly #running = new Map<string, Promise<MapFinding>>();
  #started = 0;

  constructor(deps: VerifyMapDeps & { readonly contexts: Pick<TenantContexts, 'of'> }) {
    this.#deps = deps;
  }

  /**
   * Starts a fold, or waits further for one.
   *
   * @param id of the fold that an earlier call has started; an unknown one, of another process, starts again.
   */
  async step(
    tenantId: string,
    id: string | null,
  ): Promise<{ readonly id: string; readonly finding: MapFinding | null }> {
    const name = id !== null && this.#running.has(id) ? id : this.#start(tenantId);
    const running = this.#running.get(name);
    const finding = running === undefined ? null : await Promise.race([running, delay(WAIT_MS).then(() => null)]);
    if (finding !== null) this.#running.delete(name);
    return { id: name, finding };
  }

  #start(tenantId: string): string {
    const id = `${tenantId} ${++this.#started}`;
    const fold = this.#deps.contexts.of(tenantId).then(({ ledger }) => verifyMap(this.#deps, tenantId, ledger));
    // A caller that stopped asking does not await it.
    fold.catch(() => {});
    if (this.#running.size >= MAX_FOLDS) this.#running.clear();
    this.#running.set(id, fold);
    return id;
  }
}

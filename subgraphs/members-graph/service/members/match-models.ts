import type { Clock } from '../../../../shared/clock/clock.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import { DEFAULT_ODDS } from '../../domain/matching/match-fields.js';
import type { MatchModel } from '../../domain/matching/score.js';
import type { LearntModel, MatchModelStore } from '../ports/match-model-store.js';

const KEPT_MS = 60_000;
const MOST_TENANTS = 100;

interface Kept {
  readonly model: Promise<MatchModel>;
  readonly untilMs: number;
}

/** The weights of each tenant, kept in memory for a minute: every search needs them, and they change by the hour. */
export class MatchModels {
  readonly #store: MatchModelStore;
  readonly #clock: Clock;
  readonly #kept = new Map<TenantId, Kept>();

  constructor(store: MatchModelStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  of(tenantId: TenantId): Promise<MatchModel> {
    const nowMs = this.#clock.monotonicMs();
    const kept = this.#kept.get(tenantId);
    if (kept && kept.untilMs > nowMs) return kept.model;
    if (this.#kept.size >= MOST_TENANTS) this.#kept.clear();
    const model = this.#store.get(tenantId).then(modelOf);
    this.#kept.set(tenantId, { model, untilMs: nowMs + KEPT_MS });
    // What failed is asked again by the next.
    model.catch(() => this.#kept.delete(tenantId));
    return model;
  }
}

function modelOf(learnt: LearntModel | null): MatchModel {
  const given = new Map(learnt?.names.given ?? []);
  const family = new Map(learnt?.names.family ?? []);
  return {
    odds: learnt?.odds ?? DEFAULT_ODDS,
    rarity: {
      members: learnt?.members ?? 0,
      countOf: (field, name) => (field === 'given' ? given : family).get(name) ?? 0,
      holdersOf: () => 0,
    },
  };
}

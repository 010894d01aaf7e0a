import type { SubgraphDeps } from '../../shared/contracts/deps.js';
import type { FactGuard } from '../../shared/facts/guard.js';
import type { Area } from '../../shared/graph/areas.js';
import type { Outbox } from '../../shared/outbox/outbox.js';
import type { AnswerKeeper, AnswerStore } from './answers/index.js';
import type { CodeTables } from './codes/index.js';
import type { RuleBook, RuleStore, SharedCorpus } from './rules/index.js';

/** The parts that the areas of this subgraph share. */
interface AdvocacyParts {
  readonly deps: SubgraphDeps;
  readonly outbox: Outbox;
  readonly facts: FactGuard;
  readonly rules: RuleStore;
  /** The shared rules of this version. */
  readonly corpus: SharedCorpus;
  readonly ruleBook: RuleBook;
  readonly codeTables: CodeTables;
  /** Returned answers and their basis. */
  readonly answers: AnswerStore;
  /** Stores answers and raises events for new ones. */
  readonly keeper: AnswerKeeper;
}

export type AdvocacyArea = Area<AdvocacyParts>;

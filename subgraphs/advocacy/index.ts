import type { SubgraphDeps } from '../../shared/contracts/deps.js';
import { openFacts } from '../../shared/facts/project-facts.js';
import { collectionsWithEffects, definitionOf, openSubgraph } from '../../shared/graph/areas.js';
import { statesResolver } from '../../shared/graph/states-resolver.js';
import type { Subgraph } from '../../shared/graph/subgraph.js';
import { Outbox } from '../../shared/outbox/outbox.js';
import { performersOver } from '../../shared/outbox/performers.js';
import { AnswerKeeper, answersArea, mongoAnswerStore } from './answers/index.js';
import {
  type CodesReport,
  codeImport,
  codeTables,
  codeTablesArea,
  type ImportCodesOptions,
  importCodes,
  openCodeFile,
} from './codes/index.js';
import { explainArea } from './explain/index.js';
import { guidelineArea } from './guideline/index.js';
import type { AdvocacyArea } from './parts.js';
import { recodeArea } from './recode/index.js';
import {
  adoptableRules,
  type CorpusReport,
  importCorpus,
  provenRuleStore,
  type ReportRules,
  RULES,
  readSharedCorpus,
  ruleBookOver,
  ruleStates,
  ruleStore,
  rulesArea,
  SharedCorpus,
  stateOfRule,
} from './rules/index.js';

export { shippedExplainData } from './explain/index.js';

const AdvocacyStates = statesResolver('advocacy');
/** Serves the rows of rules to the verification of the ledger. */
const statesArea: AdvocacyArea = {
  resolvers: [AdvocacyStates],
  wire: ({ facts }) => ({ facts, resolvers: [new AdvocacyStates(facts)] }),
};

const AREAS: readonly AdvocacyArea[] = [
  codeTablesArea,
  rulesArea,
  answersArea,
  explainArea,
  guidelineArea,
  recodeArea,
  statesArea,
];

export const definition = definitionOf('advocacy', AREAS);

const outboxOf = (deps: SubgraphDeps): Outbox =>
  new Outbox({ ...deps, performers: performersOver(deps) }, collectionsWithEffects(AREAS));

/** Explains denials, checks guidelines, drafts appeals, and stores the rules behind the answers. */
export const build = (deps: SubgraphDeps): Promise<Subgraph> =>
  openSubgraph(definition, AREAS, deps.database, () => {
    const { db } = deps.database;
    const outbox = outboxOf(deps);
    const corpus = new SharedCorpus(readSharedCorpus);
    const facts = openFacts(deps, 'advocacy');
    const rows = ruleStore(db, outbox);
    const proven = provenRuleStore({ guard: facts, rows, corpus });
    facts.projects('rule', proven.catchUp);
    facts.states('rule', ruleStates(db, stateOfRule));
    facts.adopts('rule', adoptableRules(rows, RULES.name));
    const rules = proven.forTenant;
    const answers = mongoAnswerStore({ db, outbox });
    return {
      deps,
      outbox,
      facts,
      rules,
      corpus,
      ruleBook: ruleBookOver(rules),
      codeTables: codeTables(db, deps.clock),
      answers,
      keeper: new AnswerKeeper({ ...deps, answers }),
    };
  });

/** Imports a code table from a file for all tenants (`npm run codes:import`). */
export const importCodeTable = async (
  { database, clock }: Pick<SubgraphDeps, 'database' | 'clock'>,
  path: string,
  options: ImportCodesOptions,
): Promise<CodesReport> => importCodes({ store: codeImport(database.db), clock }, await openCodeFile(path), options);

/** Imports the shared corpus of this version (`npm run rules:import`). Running it again changes nothing. */
export const importSharedRules = (deps: SubgraphDeps, report: ReportRules): Promise<CorpusReport> =>
  importCorpus({ ...deps, rules: ruleStore(deps.database.db, outboxOf(deps)) }, readSharedCorpus(), report);

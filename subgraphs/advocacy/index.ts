import type { SubgraphDeps } from '../../shared/contracts/deps.js';
import { buildGraph, type Subgraph, type SubgraphDefinition } from '../../shared/graph/subgraph.js';
import { Outbox } from '../../shared/outbox/outbox.js';
import { performersOver } from '../../shared/outbox/performers.js';
import { openCodeFile } from './adapters/code-source.js';
import { readSharedCorpus } from './adapters/shared-corpus.js';
import { ANSWER_COLLECTION, mongoAnswerStore } from './model/answer-model.js';
import { codeImport } from './model/code-import.js';
import { codeTables } from './model/code-repository.js';
import { prepareAdvocacyCollections } from './model/prepare.js';
import { RULE_COLLECTION } from './model/rule-model.js';
import { ruleStore } from './model/rule-repository.js';
import { ExplainResolver } from './resolvers/explain-resolver.js';
import { GuidelineResolver } from './resolvers/guideline-resolver.js';
import { RecodeResolver } from './resolvers/recode-resolver.js';
import { RuleResolver } from './resolvers/rule-resolver.js';
import { RuleTiesResolver } from './resolvers/rule-ties-resolver.js';
import { AppealStepShown, ExplainCitation, ExplainedReason } from './schema/explanation.js';
import { GuidelineCriterion, GuidelineNotApplicable, GuidelineResult } from './schema/guideline.js';
import { AppealAttachment, RecodeCandidate, RecodeNeed, RecodeSuggestion, StoodOnTable } from './schema/recode.js';
import { FactEvidence, StoodOnEvent, StoodOnRule, WithheldEvent } from './schema/stood-on.js';
import { type CodesReport, type ImportCodesOptions, importCodes } from './service/import-codes.js';
import { type CorpusReport, importCorpus } from './service/import-corpus.js';
import { AnswerKeeper } from './service/keep-answer.js';
import { ruleBookOver } from './service/rule-book.js';
import { wireExplain } from './wiring/explain.js';
import { wireGuideline } from './wiring/guideline.js';
import type { WireArea, WiredArea } from './wiring/parts.js';
import { wireRecode } from './wiring/recode.js';
import { wireRules } from './wiring/rules.js';

export const definition: SubgraphDefinition = {
  name: 'advocacy',
  resolvers: [RuleResolver, RuleTiesResolver, ExplainResolver, GuidelineResolver, RecodeResolver],
  contractTypes: [
    ExplainedReason,
    AppealStepShown,
    ExplainCitation,
    GuidelineResult,
    GuidelineCriterion,
    GuidelineNotApplicable,
    FactEvidence,
    StoodOnRule,
    StoodOnEvent,
    WithheldEvent,
    RecodeSuggestion,
    RecodeNeed,
    RecodeCandidate,
    AppealAttachment,
    StoodOnTable,
  ],
};

/** Each area is put together in a file of its own; they meet in what AdvocacyParts holds. */
const AREAS: readonly WireArea[] = [wireRules, wireExplain, wireGuideline, wireRecode];

/** Collections whose documents carry pending effects (design.md decision 5). */
const COLLECTIONS_WITH_EFFECTS: readonly string[] = [RULE_COLLECTION, ANSWER_COLLECTION];

/** Why a claim was denied, whether a guideline supports it, how to appeal; and the rules that the answers stand on. */
export async function build(deps: SubgraphDeps): Promise<Subgraph> {
  const { db } = deps.database;
  await prepareAdvocacyCollections(deps.database);
  const outbox = new Outbox({ ...deps, performers: performersOver(deps) }, COLLECTIONS_WITH_EFFECTS);
  const rules = ruleStore(db, outbox);
  const instances = new Map<unknown, unknown>();
  const graph = await buildGraph(definition, { get: (resolver) => instances.get(resolver) });
  const answers = mongoAnswerStore(db, outbox);
  const parts = {
    deps,
    contract: graph.contract,
    outbox,
    rules,
    ruleBook: ruleBookOver(rules),
    codeTables: codeTables(db, deps.clock),
    answers,
    keeper: new AnswerKeeper({ ...deps, answers }),
  };
  const wired: WiredArea[] = [];
  for (const wire of AREAS) wired.push(await wire(parts));
  for (const [resolver, instance] of wired.flatMap((area) => area.resolvers)) instances.set(resolver, instance);
  return {
    name: 'advocacy',
    schema: graph.schema,
    health: async () => {
      await db.command({ ping: 1 });
    },
    gauges: wired.flatMap(({ gauges = [] }) => gauges),
    figures: () => wired.flatMap((area) => area.figures?.() ?? []),
    background: () => {
      const works = [outbox.start(), ...wired.flatMap(({ background }) => background?.() ?? [])];
      return { stop: async () => void (await Promise.all(works.map((work) => work.stop()))) };
    },
    close: async () => {
      for (const area of wired) await area.close?.();
    },
  };
}

/** `npm run codes:import`: a table of codes from a file, for every tenant of the deployment. */
export async function importCodeTable(
  { database, clock }: Pick<SubgraphDeps, 'database' | 'clock'>,
  path: string,
  options: ImportCodesOptions,
): Promise<CodesReport> {
  await prepareAdvocacyCollections(database);
  return importCodes({ store: codeImport(database.db), clock }, await openCodeFile(path), options);
}

/** `npm run rules:import`: the shared corpus as this version has it. Again it changes nothing. */
export const importSharedRules = (deps: SubgraphDeps): Promise<CorpusReport> => {
  const outbox = new Outbox({ ...deps, performers: performersOver(deps) }, COLLECTIONS_WITH_EFFECTS);
  return importCorpus({ ...deps, rules: ruleStore(deps.database.db, outbox) }, readSharedCorpus());
};

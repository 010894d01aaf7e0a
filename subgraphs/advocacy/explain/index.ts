import type { AdvocacyArea } from '../parts.js';
import { shippedExplainData } from './adapters/explain-data.js';
import { ExplainResolver } from './resolver.js';
import { AppealStepShown, ExplainCitation, ExplainedReason } from './schema/index.js';

export { shippedExplainData } from './adapters/explain-data.js';

/** Explanations of events for their members. */
export const explainArea: AdvocacyArea = {
  resolvers: [ExplainResolver],
  contractTypes: [ExplainedReason, AppealStepShown, ExplainCitation],
  wire: ({ deps, ruleBook, answers, codeTables }) => ({
    resolvers: [new ExplainResolver({ ...deps, ruleBook, answers, codeTables, explainData: shippedExplainData() })],
  }),
};

import { shippedExplainData } from '../explain/index.js';
import type { AdvocacyArea } from '../parts.js';
import { RecodeResolver } from './resolver.js';
import { AppealAttachment, RecodeCandidate, RecodeNeed, RecodeSuggestion, StoodOnTable } from './schema.js';

/** Recoding: suggests codes that the record supports, and drafts an appeal. */
export const recodeArea: AdvocacyArea = {
  resolvers: [RecodeResolver],
  contractTypes: [RecodeSuggestion, RecodeNeed, RecodeCandidate, AppealAttachment, StoodOnTable],
  wire: ({ deps, ruleBook, answers, keeper, codeTables }) => {
    const explainData = shippedExplainData();
    return { resolvers: [new RecodeResolver({ ...deps, ruleBook, answers, keeper, codeTables, explainData })] };
  },
};

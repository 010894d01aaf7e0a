import type { AdvocacyArea } from '../parts.js';
import { ANSWERS } from './model.js';
import { FactEvidence, StoodOnEvent, StoodOnRule, WithheldEvent } from './schema.js';

export {
  type AnswerDeps,
  AnswerKeeper,
  answerSha256,
  basisRule,
  recordAnswer,
} from './answers.js';
export { mongoAnswerStore } from './model.js';
export type { AnswerStore } from './ports.js';

/** What returned answers are based on; other areas write them. */
export const answersArea: AdvocacyArea = {
  contractTypes: [FactEvidence, StoodOnRule, StoodOnEvent, WithheldEvent],
  collections: [ANSWERS],
};

import type { Database } from '../../../shared/db/database.js';
import { answerSchema } from './answer-model.js';
import { codeRowSchema, codeTableSchema } from './code-model.js';
import { ruleSchema } from './rule-model.js';

const SCHEMAS = {
  AdvocacyAnswer: answerSchema,
  Rule: ruleSchema,
  CodeRow: codeRowSchema,
  CodeTable: codeTableSchema,
} as const;

/** Builds the declared indexes; running it again changes nothing. */
export async function prepareAdvocacyCollections({ connection }: Database): Promise<void> {
  for (const [name, schema] of Object.entries(SCHEMAS)) {
    const model = connection.models[name] ?? connection.model(name, schema as never);
    await model.createIndexes();
  }
}

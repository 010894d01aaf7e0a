import type { Schema } from 'mongoose';
import type { Database } from '../../../shared/db/database.js';
import { accessCodeSchema, codeLimitSchema, memberSessionSchema } from './access-model.js';
import { appointmentSchema } from './appointment-model.js';
import { careTeamSchema } from './care-team-model.js';
import { consentPolicySchema, consentSchema } from './consent-model.js';
import { dataRightSchema } from './data-right-model.js';
import { graphCursorSchema, graphGenerationSchema, graphRecordSchema } from './graph-model.js';
import { memberChangeSchema } from './member-change-model.js';
import { memberFeedSchema, unknownMemberSchema } from './member-feed-model.js';
import { memberSchema } from './member-model.js';
import { mergeSchema } from './merge-model.js';

/** Every collection of this subgraph; a new one is its line here. */
const SCHEMAS: Readonly<Record<string, Schema>> = {
  Member: memberSchema as Schema,
  MemberChange: memberChangeSchema as Schema,
  MemberMerge: mergeSchema as Schema,
  MemberFeedCursor: memberFeedSchema as Schema,
  UnknownMember: unknownMemberSchema as Schema,
  Consent: consentSchema as Schema,
  ConsentPolicy: consentPolicySchema as Schema,
  AccessCode: accessCodeSchema as Schema,
  MemberSession: memberSessionSchema as Schema,
  AccessCodeLimit: codeLimitSchema as Schema,
  GraphRecord: graphRecordSchema as Schema,
  GraphGeneration: graphGenerationSchema as Schema,
  GraphCursor: graphCursorSchema as Schema,
  Appointment: appointmentSchema as Schema,
  CareTeamEntry: careTeamSchema as Schema,
  DataRight: dataRightSchema as Schema,
};

/** Builds the declared indexes; running it again changes nothing. */
export async function prepareMemberCollections({ connection }: Database): Promise<void> {
  for (const [name, schema] of Object.entries(SCHEMAS)) {
    const model = connection.models[name] ?? connection.model(name, schema);
    await model.createIndexes();
  }
}

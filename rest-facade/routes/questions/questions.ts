// The questions that analysts ask most, each as one query of the graph. The route and the query page show this list.

/** A variable of a question. */
interface QuestionVariable {
  readonly name: 'member_id' | 'claim' | 'bundle_id' | 'from' | 'to';
  /** As the query declares it. */
  readonly type: string;
  readonly required: boolean;
  readonly description: string;
  readonly example: string;
}

interface Question {
  /** Also the name of the operation in the query. */
  readonly name: string;
  readonly title: string;
  readonly explanation: string;
  readonly query: string;
  readonly variables: readonly QuestionVariable[];
}

const MEMBER: QuestionVariable = {
  name: 'member_id',
  type: 'String!',
  required: true,
  description: 'Any identifier of the member.',
  example: 'M-1001',
};
const CLAIM: QuestionVariable = {
  name: 'claim',
  type: 'String!',
  required: true,
  description: 'The claim, as `payload.claim_id` names it.',
  example: 'CLM-1001',
};
const BUNDLE: QuestionVariable = {
  name: 'bundle_id',
  type: 'String!',
  required: true,
  description: 'The bundle.',
  example: 'bdl_01JQ0000000000000000000001',
};
const span = (byDefault: string): readonly QuestionVariable[] => [
  {
    name: 'from',
    type: 'String',
    required: false,
    description: `Start of the span, RFC 3339. ${byDefault}`,
    example: '2026-03-01T00:00:00Z',
  },
  {
    name: 'to',
    type: 'String',
    required: false,
    description: 'End of the span, exclusive, RFC 3339.',
    example: '2026-04-01T00:00:00Z',
  },
];
const LAST_MONTH = span('Without from and to: the last calendar month in UTC.');
const ANY_TIME = span('No limit by default.');

const EVENT =
  'event_id event_family event_type member_id source_system source_record_id event_effective_timestamp outcome';
const ENTRIES =
  '(limit: 20, from: $from, to: $to) { items { kind id at type status source_system record withheld } next_cursor }';

export const QUESTIONS: readonly Question[] = [
  {
    name: 'deniedAndAppealed',
    title: 'Who was denied with CARC 50 last month and appealed?',
    explanation:
      'Lists denials (outcome DENIED) that name the claim adjustment reason 50 and have an appeal: an event of the family appeal with the same payload.claim_id. overturned says whether an appeal ended with the outcome OVERTURNED.',
    query: `query deniedAndAppealed($from: String, $to: String) {
  appealedDenials(code: "carc:50", from: $from, to: $to, limit: 100) {
    from
    to
    items {
      denial { ${EVENT} }
      appeals { ${EVENT} }
      overturned
    }
    truncated
  }
}`,
    variables: LAST_MONTH,
  },
  {
    name: 'withinTwoHops',
    title: 'What is within two hops of a member?',
    explanation:
      'Walks two edges of the graph from the member: to events, documents, holds, matters and bundles, and on to claims, providers and codes. docs/graph.md lists the edges.',
    query: `query withinTwoHops($member_id: String!) {
  memberNeighborhood(member_id: $member_id, depth: 2) {
    nodes { id kind at label status source_system }
    edges { from to kind at event_id }
    truncated
  }
}`,
    variables: [MEMBER],
  },
  {
    name: 'unmatchedRemittances',
    title: 'Which providers have unmatched remittances?',
    explanation:
      'Counts remittances that no claim matches, by provider (NPI): no claim is linked to them by a number, and none has their payload.claim_id.',
    query: `query unmatchedRemittances($from: String, $to: String) {
  unmatchedRemittances(from: $from, to: $to, limit: 100) {
    remittances
    items { provider remittances oldest_at newest_at event_ids }
    truncated
  }
}`,
    variables: ANY_TIME,
  },
  {
    name: 'memberTimeline',
    title: "What is on a member's timeline, with documents?",
    explanation:
      'Reads the events, AI decisions and documents of the member under each identifier, oldest first. The read is recorded in custody.',
    query: `query memberTimeline($member_id: String!, $from: String, $to: String) {
  memberTimeline(member_id: $member_id, limit: 20, from: $from, to: $to) {
    member_ids
    identities {
      member_id
      timeline_events${ENTRIES}
      timeline_decisions${ENTRIES}
      timeline_documents${ENTRIES}
    }
  }
}`,
    variables: [MEMBER, ...ANY_TIME],
  },
  {
    name: 'exceptionsByKindAndAge',
    title: 'How many exceptions are open, by kind and age?',
    explanation:
      'Counts unresolved exceptions by kind and by age in whole days: 0 to 7, 8 to 30, 31 to 90, and over 90.',
    query: `query exceptionsByKindAndAge {
  exceptionSummary {
    as_of
    count
    items { kind age count oldest_at }
  }
}`,
    variables: [],
  },
  {
    name: 'overriddenDecisions',
    title: 'Which AI decisions were overridden, by version of the model?',
    explanation:
      'Counts AI decisions and overrides by model and version, and lists the newest overridden decisions with their overrides.',
    query: `query overriddenDecisions($from: String, $to: String) {
  aiDecisionSummary(from: $from, to: $to) {
    count
    overridden
    override_rate
    by_version { name count overridden override_rate }
    truncated
  }
  aiDecisions(status: "OVERRIDDEN", from: $from, to: $to, limit: 50) {
    items {
      decision_id
      decision_type
      member_id
      model { name version }
      recommendation
      overrides { outcome prior_outcome reason overridden_by }
    }
    next_cursor
  }
}`,
    variables: ANY_TIME,
  },
  {
    name: 'denialsByProviderCodeProgramMonth',
    title: 'How many denials are there by provider, code, program and month, and how many were overturned?',
    explanation:
      'Counts denials (outcome DENIED, without appeals) by NPI, claim adjustment reason, program and month in UTC. overturn_rate is the share of the appealed denials with an appeal whose outcome is OVERTURNED.',
    query: `query denialsByProviderCodeProgramMonth($from: String, $to: String) {
  denialSummary(from: $from, to: $to, limit: 200) {
    from
    to
    denials
    items { provider code program month denials appealed overturned overturn_rate }
    truncated
  }
}`,
    variables: LAST_MONTH,
  },
  {
    name: 'claimConversation',
    title: 'What is the whole conversation about a claim?',
    explanation:
      'Lists all events that name the claim and those that are linked to it by numbers: authorization (278), claim (837), status (277), remittance (835) and appeal, in order of time, with the relations between them.',
    query: `query claimConversation($claim: String!) {
  claimConversation(claim: $claim) {
    claim
    events { ${EVENT} }
    links { from to kind via }
    truncated
  }
}`,
    variables: [CLAIM],
  },
  {
    name: 'holdsAndMatters',
    title: 'Which holds and matters touch a member?',
    explanation:
      'Shows legal holds and matters within two hops of the member: those that name the member, and those of its events and documents. The edges say how.',
    query: `query holdsAndMatters($member_id: String!) {
  memberNeighborhood(member_id: $member_id, depth: 2, node_kinds: ["hold", "matter"]) {
    nodes { id kind at label status }
    edges { from to kind at event_id }
    truncated
  }
}`,
    variables: [MEMBER],
  },
  {
    name: 'bundleCustody',
    title: 'Who built, read and handed over a bundle?',
    explanation:
      'Lists the acts of custody that name the bundle, oldest first, with the person, system or key that did each. The name is empty for the service itself and for the operator of the platform.',
    query: `query bundleCustody($bundle_id: String!) {
  custody(subject_kind: "BUNDLE", subject_id: $bundle_id, limit: 200) {
    items {
      at
      action
      recorded
      actor { type id name kind }
      purpose
      recipient
      sha256_after
    }
    next_cursor
  }
}`,
    variables: [BUNDLE],
  },
];

import { describeDay } from '../values/hl7-timestamps.js';
import { compact } from '../values/payload.js';
import type { ElementNode } from '../values/xml/element-tree.js';
import { codesOf, wordsOf } from './codes.js';
import { attribute, childrenOf, find, textOf, timesOf } from './elements.js';
import { type CodedEntry, entryOf, statementsOf } from './entry-parts.js';

/** A coverage activity (act) with its policies: the payer, the numbers of the policy, and the person's own number. */
export function readCoverage(entry: ElementNode): CodedEntry[] {
  return statementsOf(entry, 'act').flatMap((coverage) =>
    childrenOf(coverage, 'entryRelationship')
      .flatMap((one) => childrenOf(one, 'act'))
      .flatMap((policy) => {
        const payer = payerOf(policy);
        const covered = participantOf(policy, 'COV');
        const numbers = { policy_number: extensionOf(policy), member_number: extensionOf(covered) };
        if (Object.keys(compact({ ...payer, ...numbers })).length === 0) return [];
        const period = find(participantNode(policy, 'COV'), 'time');
        const [from, to] = [attribute(period, 'value', 'low'), attribute(period, 'value', 'high')].map(describeDay);
        return [
          {
            ...entryOf(policy, 'eligibility', 'coverage_reported', 'recorded'),
            times: [attribute(period, 'value', 'low'), timesOf(policy).from],
            payload: {
              payer: compact(payer),
              plan: wordsOf(find(policy, 'code')),
              plan_type: codesOf(find(policy, 'code'))[0]?.code,
              ...numbers,
              relationship: codesOf(find(covered, 'code'))[0]?.code,
              coverage_period: compact({ from, to }),
            },
          },
        ];
      }),
  );
}

function payerOf(policy: ElementNode): { readonly name: string; readonly id: string } {
  const performers = childrenOf(policy, 'performer').map((one) => find(one, 'assignedEntity'));
  const payer = performers.find((one) => attribute(one, 'code', 'code') === 'PAYOR') ?? performers[0];
  return { name: textOf(payer, 'representedOrganization', 'name'), id: extensionOf(payer) };
}

const participantNode = (policy: ElementNode, typeCode: string): ElementNode | undefined =>
  childrenOf(policy, 'participant').find((one) => one.attributes.get('typeCode') === typeCode);

const participantOf = (policy: ElementNode, typeCode: string): ElementNode | undefined =>
  find(participantNode(policy, typeCode), 'participantRole');

/** The extension of the first id that has one. */
const extensionOf = (node: ElementNode | undefined): string =>
  childrenOf(node, 'id')
    .map((one) => attribute(one, 'extension'))
    .find((text) => text !== '') ?? '';

import type { Document } from 'mongodb';

/** A request on which SecantusDB 0.7 and this server disagree, and the server that follows MongoDB's manual. */
interface Judgement {
  readonly name: string;
  readonly documents: readonly Document[];
  readonly pipeline: readonly Document[];
  /** The result here, or the code of the error. */
  readonly here: readonly Document[] | number;
  readonly there: readonly Document[] | number;
  readonly right: 'here' | 'there';
  readonly reason: string;
}

/** The generator makes no requests of these forms, so that one judgement hides no other disagreement. */
export const JUDGEMENTS: readonly Judgement[] = [
  {
    name: '$all over a path that leads through an array',
    documents: [{ _id: 1, docs: [{ k: 7 }, { k: 3 }] }],
    pipeline: [{ $match: { 'docs.k': { $all: [7, 3] } } }, { $project: { _id: 1 } }],
    here: [{ _id: 1 }],
    there: [],
    right: 'here',
    reason: '$all is the $and of its values, and { "docs.k": 7 } finds an element of any document of the array',
  },
  {
    name: 'null at a position beyond the end of an array',
    documents: [{ _id: 1, list: [4] }],
    pipeline: [{ $match: { 'list.1': null } }],
    here: [],
    there: [{ _id: 1, list: [4] }],
    right: 'here',
    reason: 'a path that leads through an array without a match has no element, so not even null',
  },
  {
    name: '$count in a $facet without documents',
    documents: [{ _id: 1 }],
    pipeline: [{ $match: { _id: 2 } }, { $facet: { n: [{ $count: 'n' }] } }],
    here: [{ n: [] }],
    there: [{ n: [{ n: 0 }] }],
    right: 'here',
    reason: '$count is a $group and a $project, and a $group without documents gives none',
  },
  {
    name: '$sortArray of numbers and null',
    documents: [{ _id: 1, list: [2, null, 1] }],
    pipeline: [{ $project: { r: { $sortArray: { input: '$list', sortBy: 1 } } } }],
    here: [{ _id: 1, r: [null, 1, 2] }],
    there: 1,
    right: 'here',
    reason: 'values of several types have an order, with null before numbers',
  },
];

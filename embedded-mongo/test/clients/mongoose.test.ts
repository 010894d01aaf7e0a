import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import mongoose, { type Connection, Schema } from 'mongoose';
import { failureOf, startTestServer, type TestServer } from '../test-server.js';

let server: TestServer;
let connection: Connection;
beforeAll(async () => {
  server = await startTestServer();
  connection = await mongoose.createConnection(server.running.uri, { dbName: 'mongoose' }).asPromise();
});
afterAll(async () => {
  await connection.close();
  await server.stop();
});

const itemSchema = new Schema(
  { code: { type: String, required: true }, quantity: { type: Number, default: 0 } },
  { _id: false },
);

function orderModel(name: string) {
  const schema = new Schema(
    {
      number: { type: String, required: true, unique: true },
      customer: { type: Schema.Types.ObjectId, ref: 'Customer' },
      items: [itemSchema],
      total: Schema.Types.Decimal128,
      big: BigInt,
      payload: Schema.Types.Buffer,
      reference: Schema.Types.UUID,
      attributes: { type: Map, of: String },
      placedAt: Date,
    },
    { timestamps: true, optimisticConcurrency: true },
  );
  schema.index({ customer: 1, placedAt: -1 });
  return connection.model(name, schema, name.toLowerCase());
}

const Customer = () =>
  connection.models['Customer'] ?? connection.model('Customer', new Schema({ name: String }), 'customers');

describe('mongoose', () => {
  it('stores and returns all its types', async () => {
    const Order = orderModel('TypesOrder');
    const reference = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11';
    await Order.create({
      number: 'A1',
      items: [{ code: 'x', quantity: 2 }],
      total: '12.50',
      big: 9_007_199_254_740_993n,
      payload: Buffer.from('bytes'),
      reference,
      attributes: { colour: 'red' },
      placedAt: new Date(1_000),
    });
    const found = await Order.findOne({ number: 'A1', big: 9_007_199_254_740_993n, reference });
    expect(String(found?.total)).toBe('12.50');
    expect(found?.big).toBe(9_007_199_254_740_993n);
    expect(found?.payload?.toString()).toBe('bytes');
    expect(String(found?.reference)).toBe(reference);
    expect(found?.attributes?.get('colour')).toBe('red');
    expect(found?.createdAt).toBeInstanceOf(Date);
  });

  it('reports unique violations with code, pattern and value', async () => {
    const Order = orderModel('UniqueOrder');
    await Order.init();
    await Order.create({ number: 'A1' });
    expect(await failureOf(Order.create({ number: 'A1' }))).toMatchObject({
      code: 11000,
      keyPattern: { number: 1 },
      keyValue: { number: 'A1' },
    });
  });

  it('rejects the second of two saves under optimistic concurrency', async () => {
    const Order = orderModel('VersionedOrder');
    await Order.create({ number: 'A1' });
    const [first, second] = [await Order.findOne({ number: 'A1' }), await Order.findOne({ number: 'A1' })];
    first?.set('placedAt', new Date(1));
    await first?.save();
    second?.set('placedAt', new Date(2));
    expect(await failureOf(second?.save() ?? Promise.resolve())).toMatchObject({ name: 'VersionError' });
  });

  it('populates, filters arrays, projects, pages by cursor and counts', async () => {
    const Order = orderModel('QueriedOrder');
    const customer = await Customer().create({ name: 'Ada' });
    await Order.insertMany(
      Array.from({ length: 30 }, (_, i) => ({
        number: `N${i}`,
        customer: customer._id,
        items: [
          { code: 'a', quantity: i },
          { code: 'b', quantity: 1 },
        ],
        placedAt: new Date(i * 1_000),
      })),
    );
    const populated = await Order.findOne({ number: 'N3' }).populate<{ customer: { name: string } }>('customer');
    expect(populated?.customer.name).toBe('Ada');
    await Order.updateOne(
      { number: 'N3' },
      { $inc: { 'items.$[item].quantity': 100 } },
      { arrayFilters: [{ 'item.code': 'a' }] },
    );
    const lean = await Order.findOne({ number: 'N3' }, { items: 1, _id: 0 }).lean();
    expect(lean).toEqual({
      items: [
        { code: 'a', quantity: 103 },
        { code: 'b', quantity: 1 },
      ],
    });
    const page = await Order.find({ customer: customer._id, placedAt: { $lt: new Date(20_000) } })
      .sort({ placedAt: -1 })
      .limit(5);
    expect(page.map(({ number }) => number)).toEqual(['N19', 'N18', 'N17', 'N16', 'N15']);
    let seen = 0;
    for await (const order of Order.find().cursor({ batchSize: 4 })) seen += order.number ? 1 : 0;
    expect(seen).toBe(30);
    expect(await Order.countDocuments({ 'items.quantity': { $gte: 25 } })).toBe(6);
    expect((await Order.distinct('items.code')).toSorted()).toEqual(['a', 'b']);
  });

  it('aggregates with groups, facets and lookups', async () => {
    const Order = orderModel('GroupedOrder');
    const customers = await Customer().create([{ name: 'Bo' }, { name: 'Cy' }]);
    await Order.insertMany(
      Array.from({ length: 12 }, (_, i) => ({
        number: `G${i}`,
        customer: customers[i % 2]?._id,
        items: [{ code: 'x', quantity: i }],
      })),
    );
    const totals = await Order.aggregate([
      { $unwind: '$items' },
      { $group: { _id: '$customer', quantity: { $sum: '$items.quantity' }, orders: { $sum: 1 } } },
      { $lookup: { from: 'customers', localField: '_id', foreignField: '_id', as: 'who' } },
      { $project: { _id: 0, name: { $first: '$who.name' }, quantity: 1, orders: 1 } },
      { $sort: { name: 1 } },
    ]);
    expect(totals).toEqual([
      { name: 'Bo', quantity: 30, orders: 6 },
      { name: 'Cy', quantity: 36, orders: 6 },
    ]);
    const [facets] = await Order.aggregate([
      {
        $facet: {
          count: [{ $count: 'n' }],
          top: [{ $sort: { 'items.quantity': -1 } }, { $limit: 2 }, { $project: { number: 1, _id: 0 } }],
        },
      },
    ]);
    expect(facets).toEqual({ count: [{ n: 12 }], top: [{ number: 'G11' }, { number: 'G10' }] });
  });

  it('reports bulk writes by kind, and syncs indexes with the schema', async () => {
    const Order = orderModel('BulkOrder');
    await Order.init();
    const outcome = await Order.bulkWrite([
      { insertOne: { document: { number: 'B1' } } },
      { updateOne: { filter: { number: 'B2' }, update: { $set: { placedAt: new Date(0) } }, upsert: true } },
      { deleteOne: { filter: { number: 'B1' } } },
    ]);
    expect(outcome).toMatchObject({ insertedCount: 1, upsertedCount: 1, deletedCount: 1 });
    await Order.collection.createIndex({ placedAt: 1 });
    expect(await Order.syncIndexes()).toEqual(['placedAt_1']);
  });
});

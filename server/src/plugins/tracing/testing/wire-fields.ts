/** The fields of a message in Protocol Buffers, by their numbers: enough to read messages without their descriptions. */

/** Numbers of 64 bits and lengths as they are; texts, bytes and messages within as bytes. */
export type WireValue = bigint | Buffer;
export type WireFields = ReadonlyMap<number, readonly WireValue[]>;

const VARINT = 0;
const FIXED_64 = 1;
const BYTES = 2;
const FIXED_32 = 5;

/** Throws for bytes that are no message. */
export function wireFields(bytes: Buffer): WireFields {
  const reader = new Reader(bytes);
  const fields = new Map<number, WireValue[]>();
  while (!reader.isAtEnd) {
    const key = Number(reader.varint());
    const field = key >> 3;
    fields.set(field, [...(fields.get(field) ?? []), reader.value(key & 7)]);
  }
  return fields;
}

class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length;
  }

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.#take(1).readUInt8();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }

  value(type: number): WireValue {
    switch (type) {
      case VARINT:
        return this.varint();
      case FIXED_64:
        return this.#take(8).readBigUInt64LE();
      case BYTES:
        return this.#take(Number(this.varint()));
      case FIXED_32:
        return BigInt(this.#take(4).readUInt32LE());
      default:
        throw new Error(`There is no type ${type} of fields.`);
    }
  }

  #take(length: number): Buffer {
    if (this.#at + length > this.#bytes.length) throw new Error('The message is cut off.');
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }
}

/** The messages in a field. */
export const messagesAt = (fields: WireFields, field: number): readonly WireFields[] =>
  (fields.get(field) ?? []).map((value) => wireFields(bytesOf(value)));

export const textAt = (fields: WireFields, field: number): string =>
  bytesOf(fields.get(field)?.at(-1) ?? Buffer.alloc(0)).toString('utf8');

export const hexAt = (fields: WireFields, field: number): string =>
  bytesOf(fields.get(field)?.at(-1) ?? Buffer.alloc(0)).toString('hex');

/** 0 where the field is left out, as it is when it is 0. */
export function numberAt(fields: WireFields, field: number): bigint {
  const value = fields.get(field)?.at(-1) ?? 0n;
  if (typeof value !== 'bigint') throw new Error(`Field ${field} is no number.`);
  return value;
}

function bytesOf(value: WireValue): Buffer {
  if (typeof value === 'bigint') throw new Error('A number stands where bytes are expected.');
  return value;
}

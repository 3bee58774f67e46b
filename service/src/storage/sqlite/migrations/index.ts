import { initial } from './001-initial.ts'

/** In order; a database remembers how many of them it has seen. Only ever append. */
export const MIGRATIONS: readonly { name: string; statements: readonly string[] }[] = [
  { name: '001-initial', statements: initial },
]

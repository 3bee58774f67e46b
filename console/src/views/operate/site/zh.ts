import type { Texts } from '../../../texts/shape.ts'
import type { en } from './en.ts'

export const zh: Texts<typeof en> = {}

import { texts } from '../../../texts/texts.svelte.ts'

const RENAME = /^[^\s=]+=[^\s=]+$/

/** What a person allows an application of the site file besides adding and altering. */
export class SiteFlags {
  remove = $state(false)
  removeUsers = $state(false)
  deleteRecords = $state(false)
  units = $state<'none' | 'relabel' | 'convert'>('none')
  renames = $state('')

  get renamesError(): string | undefined {
    return this.#renameList.every((one) => RENAME.test(one))
      ? undefined
      : texts.operate.site.badRenames
  }

  get values() {
    const renames = this.#renameList.filter((one) => RENAME.test(one))
    return {
      ...(this.remove && { remove: true }),
      ...(this.removeUsers && { removeUsers: true }),
      ...(this.deleteRecords && { deleteRecords: true }),
      ...(this.units !== 'none' && { units: this.units }),
      ...(renames.length > 0 && { renames }),
    }
  }

  clear(): void {
    this.remove = this.removeUsers = this.deleteRecords = false
    this.units = 'none'
    this.renames = ''
  }

  get #renameList(): string[] {
    return this.renames.split(/[,，\s]+/).filter((one) => one !== '')
  }
}

/** The interface of engines that make artifacts from transcripts. */
import type { ArtifactDraft, ArtifactEngineName, ArtifactMode, ArtifactSource } from '../../domain/artifact.js'

export type ArtifactEngine = {
  readonly name: ArtifactEngineName
  /**
   * Makes the draft of an artifact. It is checked and rendered by `finishArtifact`, which refuses drafts that break the rules of the mode.
   * Rejects with ArtifactError, within a second after `signal` aborts.
   */
  create (mode: ArtifactMode, source: ArtifactSource, signal: AbortSignal): Promise<ArtifactDraft>
}

-- rotated_from: the registration that a card had under its token before.

-- While a fresh card is on its way, the app of the old one may rotate its token. By this the old
-- card is known again under the new one, and is ended there. A phone's other card, such as the
-- fresh one, takes the place of the old one's registration as well, but has not rotated from it.
ALTER TABLE registration ADD COLUMN rotated_from bigint;

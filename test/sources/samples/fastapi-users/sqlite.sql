PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE user (
	id CHAR(36) NOT NULL, 
	email VARCHAR(320) NOT NULL, 
	hashed_password VARCHAR(1024) NOT NULL, 
	is_active BOOLEAN NOT NULL, 
	is_superuser BOOLEAN NOT NULL, 
	is_verified BOOLEAN NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO user VALUES('cbf7df35-1969-4a2f-b0ba-2a854a2725b2','ada@example.org','$argon2id$v=19$m=256,t=1,p=1$NJgSww/zV56wlz5NATEduw$s8q0IrClYi7o10l3qje2EEVY0BnnaxVLP6nEXp6t8eI',1,0,1);
INSERT INTO user VALUES('3c6a0754-58dc-4e03-aba6-d79921a3ee79','o''hara@example.org','$argon2id$v=19$m=256,t=1,p=1$46Z4LrY/GveYL+6HHQMKAQ$gCgV4pbmiraReNs+bUJJVgAaKtdd+UVbUj3K7h8p5o0',1,0,0);
INSERT INTO user VALUES('f868f35e-9d25-417d-a21b-6ef6d02212c4','zoe@example.org','$argon2id$v=19$m=256,t=1,p=1$F1UEcXQbvkBdoDlKkJTzKw$PXNPWdPFuBNVsy2FQf+fNzBHFTGYCPquwKxUjLdysyM',1,0,0);
INSERT INTO user VALUES('c8fd1bf4-43a4-498d-a05e-aea68ba99e40','off@example.org','$argon2id$v=19$m=256,t=1,p=1$gFV/aBMG7o2DehDXxQXmSg$LYTTl3LgPnCAOfXtJBOjp71X/qt26SJMdSJt4FF0YXk',0,0,1);
INSERT INTO user VALUES('acb16906-5473-4827-9a7f-b44e210afd24','Mixed.Case@example.org','$argon2id$v=19$m=256,t=1,p=1$SiS+xeyhhrNlUKGh5L4qAw$WgO3343p/sOqtZg0WHkeJRaSdW3Vhzg2NdH9aCdmhxI',1,0,0);
INSERT INTO user VALUES('028a6952-b016-404e-9090-9fb45f1d9c34','both@example.org','$argon2id$v=19$m=256,t=1,p=1$eiRlRs2ENEB4THvUShNeFQ$E0NWrzXYEOeFIrvKZS4dAyzPEAeOuEK/CUHXx2rrMYA',1,0,0);
INSERT INTO user VALUES('1d7542c1-cda6-4f25-a524-907a0b96b43f','social@example.org','$argon2id$v=19$m=256,t=1,p=1$acm8uuGmQ86PTrfsbUtzcQ$4PzgW4pdjRs4rLwa5AEAyXyC8z0DOaMsSsWgdsET9ss',1,0,1);
INSERT INTO user VALUES('25cf8f31-1638-493a-b7de-3585431d004a','old@example.org','$2b$04$1pJWdC7KiqFP2KOUKxAHAu1994wytfvlBotEusiIkKhkb5tjs7562',1,0,1);
CREATE TABLE oauth_account (
	id CHAR(36) NOT NULL, 
	user_id CHAR(36) NOT NULL, 
	oauth_name VARCHAR(100) NOT NULL, 
	access_token VARCHAR(1024) NOT NULL, 
	expires_at INTEGER, 
	refresh_token VARCHAR(1024), 
	account_id VARCHAR(320) NOT NULL, 
	account_email VARCHAR(320) NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(user_id) REFERENCES user (id) ON DELETE cascade
);
INSERT INTO oauth_account VALUES('6e9dc82c-8a69-45e0-af3c-f1fc04f0d564','1d7542c1-cda6-4f25-a524-907a0b96b43f','google','ya29.secret-access',1900000000,'1//refresh-secret','people/110000000000000000017','social@example.org');
INSERT INTO oauth_account VALUES('d967629a-47f3-4831-b8b6-7215972196d0','028a6952-b016-404e-9090-9fb45f1d9c34','github','gho_secret',NULL,NULL,'9001','both@example.org');
CREATE UNIQUE INDEX ix_user_email ON user (email);
CREATE INDEX ix_oauth_account_account_id ON oauth_account (account_id);
CREATE INDEX ix_oauth_account_oauth_name ON oauth_account (oauth_name);
COMMIT;
